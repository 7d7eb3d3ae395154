# Sourced by run and minimise, from the project's folder, with the names of decoders as arguments, or none for
# all. Sets `build` and `targets`, builds the fuzzing program with a link to it for each decoder, and unpacks
# the corpora.
build=.build/fuzz
targets=("$@")
[ $# -gt 0 ] || for file in Tests/Fuzz/corpus/*.txt; do targets+=("$(basename "$file" .txt)"); done

# Optimised, as what is released: what traps there traps here. AddressSanitizer beside libFuzzer also checks
# the memory that C libraries get.
how=(-c release --product Fuzz --scratch-path "$build/package" --sanitize address
    -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer -Xcc -fsanitize=fuzzer-no-link)
TESTS_FUZZ=1 swift build "${how[@]}"
program=$(TESTS_FUZZ=1 swift build "${how[@]}" --show-bin-path)/Fuzz
for name in "${targets[@]}"; do
    ln -sf "$program" "$build/$name"
    rm -rf "$build/corpus/$name"
    Tests/Fuzz/corpus.py unpack "Tests/Fuzz/corpus/$name.txt" "$build/corpus/$name"
done
