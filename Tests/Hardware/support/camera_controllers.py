"""Controllers for several cameras of one agent."""

from contextlib import ExitStack, contextmanager

from controller import Controller


@contextmanager
def controllers_at(broker, at: float | None = 1):
    """Gives a function from a camera to a controller for it, which has set its zoom to `at`."""
    with ExitStack() as stack:
        def controller_for(camera: str) -> Controller:
            controller = stack.enter_context(Controller(broker, camera=camera))
            if at is not None:
                controller.zoom_to(at)
            return controller

        yield controller_for
