# Sourced by run and minimise, from the project's folder, with the names of targets as arguments, or none for all. Sets `build` and
# `targets`, and makes what is out of date.
#
# The compiler is called by hand, for two reasons: SwiftPM would build all that the targets depend on once more (Argument Parser among
# it), and knows no program whose main function libFuzzer brings. So the rooms under test take half a minute.
build=.build/fuzz
targets=("$@")
[ $# -gt 0 ] || for folder in Tests/Fuzz/targets/*; do targets+=("$(basename "$folder")"); done
mkdir -p $build/rooms

# -O, as what is released: what traps there traps here. AddressSanitizer beside libFuzzer: it sees what Jansson and libyaml are handed.
flags=(-swift-version 6 -package-name v4l2mqtt -parse-as-library -O -g -wmo -sanitize=fuzzer,address
    -warnings-as-errors -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -I $build/rooms -I $build/rooms/CLinux -I $build/rooms/CJPEG -I $build/rooms/CResampling -I Sources/CJansson -I Sources/CYAML
    -I Sources/CYUV)

# Whether a file is there and younger than all that follow.
fresh() {
    [ -e "$1" ] && [ -z "$(find "${@:2}" Tests/Fuzz/build.sh -type f -newer "$1" -print -quit)" ]
}

# One room as a module and an object, of all its files or of those that are named; made anew when anything in any room is younger: that
# takes seconds, and tells no lies.
room() {
    fresh "$build/rooms/$1.o" Sources && return
    local sources=("${@:2}")
    [ $# -gt 1 ] || mapfile -t sources < <(find Sources/"$1" -name '*.swift')
    swiftc "${flags[@]}" -enable-testing -module-name "$1" -emit-module -emit-module-path "$build/rooms/$1.swiftmodule" \
        -c "${sources[@]}" -o "$build/rooms/$1.o.new"
    mv "$build/rooms/$1.o.new" "$build/rooms/$1.o"
}

# Shims in C as a module and an object, instrumented as the rest is.
c_room() {
    local name=$1 source objects=()
    fresh "$build/rooms/$name.o" Sources/"$name" && return
    mkdir -p "$build/rooms/$name"
    cp Sources/"$name"/include/"$name".h "$build/rooms/$name/"
    echo "module $name { header \"$name.h\" export * }" >"$build/rooms/$name/module.modulemap"
    for source in Sources/"$name"/*.c; do
        objects+=("$build/rooms/$name/$(basename "$source" .c).o")
        clang -O2 -g -Wno-macro-redefined -fsanitize=address,fuzzer-no-link -ISources/"$name"/include \
            -c "$source" -o "${objects[-1]}"
    done
    ld -r "${objects[@]}" -o "$build/rooms/$name.o"
}

# One program: Tests/Fuzz/targets/<name>/*.swift, and the rooms that it is about.
program() {
    local name=$1 sources rooms libraries=()
    sources=(Tests/Fuzz/targets/"$name"/*.swift Tests/Fuzz/shared/Property.swift)
    case $name in
        commands) rooms=(Settings Messages) sources+=(Tests/Fuzz/shared/JSONMutator.swift) ;;
        topics) rooms=(Settings Messages) ;;
        # What the agent saves is the agent's own, and each camera's.
        state)
            rooms=(Settings Messages StateStore LoopThread CLinux CameraCore)
            sources+=(Sources/Agent/SavedState.swift Tests/Fuzz/shared/JSONMutator.swift)
            ;;
        photos) rooms=(Picture Imaging CJPEG CResampling) libraries=(-ljpeg) ;;
        configuration | overrides) rooms=(Settings Configuration) sources+=(Tests/Fuzz/shared/ConfigurationChecks.swift) ;;
        *) echo "Tests/Fuzz: there is no target $name" >&2; exit 64 ;;
    esac
    local objects=("${rooms[@]/%/.o}")
    objects=("${objects[@]/#/$build/rooms/}")
    fresh "$build/$name" "${sources[@]}" "${objects[@]}" && return
    # The linker says for each of AddressSanitizer's local symbols that it isn't exported, which nobody wants.
    # The module has to go somewhere, or the compiler leaves it in the present folder.
    swiftc "${flags[@]}" -module-name "fuzz_$name" -emit-module -emit-module-path "$build/rooms/fuzz_$name.swiftmodule" \
        -emit-executable "${sources[@]}" "${objects[@]}" "${libraries[@]}" -o "$build/$name" 2> >(grep -v "Cannot export local symbol" >&2)
}

for name in CLinux CJPEG CResampling; do c_room $name; done
for name in Settings LoopThread Messages StateStore Configuration Picture Imaging; do room $name; done
room CameraCore Sources/CameraCore/SavedCamera.swift Sources/CameraCore/Revisions.swift
for name in "${targets[@]}"; do program "$name"; done
