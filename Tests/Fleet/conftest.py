"""What the tests share: a cluster for each file. No test passes while the contract is broken."""

from contextlib import closing

import pytest

from bench import Bench, contract_checked
from ejabberd_cluster import Cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with closing(Cluster(tmp_path_factory.mktemp("cluster")).start()) as cluster:
        yield cluster


@pytest.fixture
def nodes(cluster):
    """Both nodes, which run."""
    for node in cluster.nodes:
        if not node.running:
            node.start()
    return cluster.nodes


@pytest.fixture
def bench(nodes, tmp_path_factory):
    """Makes agents and controllers. Everything that reaches the second node is checked."""
    with closing(Bench(tmp_path_factory)) as bench:
        bench.record(nodes[1])
        with contract_checked(bench):
            yield bench
