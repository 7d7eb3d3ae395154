# Sourced by run and minimise, from the project's folder, with the names of targets as arguments, or none for
# all. Sets `build` and `targets`, and makes what is out of date.
#
# The compiler is called by hand, for two reasons: SwiftPM would build all that the targets depend on once
# more (Argument Parser among it), and knows no program whose main function libFuzzer brings. So the modules
# under test take half a minute.
build=.build/fuzz
targets=("$@")
[ $# -gt 0 ] || for folder in Tests/Fuzz/targets/*; do targets+=("$(basename "$folder")"); done
mkdir -p $build/modules

# -O, as what is released: what traps there traps here. AddressSanitizer beside libFuzzer also checks the
# memory that libyaml gets.
flags=(-swift-version 6 -package-name v4l2mqtt -parse-as-library -O -g -wmo -sanitize=fuzzer,address
    -warnings-as-errors -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -I $build/modules -I $build/modules/CDigests -I $build/modules/CLinux -I $build/modules/CJPEG -I $build/modules/CPacking -I $build/modules/CResampling
    -I $build/modules/CV4L2 -I Sources/CYAML -I Sources/CYUV)

# Whether a file exists and is newer than all that follow.
fresh() {
    [ -e "$1" ] && [ -z "$(find "${@:2}" Tests/Fuzz/build.sh -type f -newer "$1" -print -quit)" ]
}

# One target as a module and an object, of all its files or of the named ones. It is compiled again when any
# source is newer: that takes seconds, and is always correct.
module() {
    fresh "$build/modules/$1.o" Sources && return
    local sources=("${@:2}")
    [ $# -gt 1 ] || mapfile -t sources < <(find Sources/"$1" -name '*.swift')
    swiftc "${flags[@]}" -enable-testing -module-name "$1" -emit-module -emit-module-path "$build/modules/$1.swiftmodule" \
        -c "${sources[@]}" -o "$build/modules/$1.o.new"
    mv "$build/modules/$1.o.new" "$build/modules/$1.o"
}

# Shims in C as a module and an object.
c_module() {
    local name=$1
    fresh "$build/modules/$name.o" Sources/"$name" && return
    mkdir -p "$build/modules/$name"
    cp Sources/"$name"/include/*.h "$build/modules/$name/"
    echo "module $name { header \"$name.h\" export * }" >"$build/modules/$name/module.modulemap"
    c_object "$name" Sources/"$name" -ISources/"$name"/include
}

# The sources of a folder as one object, instrumented as the rest is.
c_object() {
    local name=$1 source objects=()
    mkdir -p "$build/modules/$name"
    for source in "$2"/*.c; do
        objects+=("$build/modules/$name/$(basename "$source" .c).o")
        clang -O2 -g -Wno-macro-redefined -fsanitize=address,fuzzer-no-link "${@:3}" -c "$source" -o "${objects[-1]}"
    done
    ld -r "${objects[@]}" -o "$build/modules/$name.o"
}

# One program: Tests/Fuzz/targets/<name>/*.swift, and the modules that it tests.
program() {
    local name=$1 sources modules libraries=()
    sources=(Tests/Fuzz/targets/"$name"/*.swift Tests/Fuzz/shared/Property.swift)
    case $name in
        commands) modules=(Clients Settings Messages) sources+=(Tests/Fuzz/shared/JSONMutator.swift) ;;
        topics) modules=(Clients Settings Messages) ;;
        ctl) modules=(Clients Settings Messages LoopThread CLinux PlainText Terminal MQTTBus Digests CDigests Ctl) libraries=(-lcrypto) ;;
        discovery)
            modules=(Clients Settings Messages HomeAssistant)
            ;;
        # The saved state has a part of the agent, and one of each camera.
        state)
            modules=(Clients Settings Messages StateStore LoopThread CLinux CameraCore)
            sources+=(Sources/Agent/SavedState.swift Tests/Fuzz/shared/JSONMutator.swift)
            ;;
        photos) modules=(Picture Imaging CJPEG CPacking CResampling) libraries=(-ljpeg) ;;
        frames) modules=(Picture LoopThread CLinux PlainText Cameras V4L2 CV4L2) libraries=(-lv4lconvert) ;;
        pages) modules=(Clients Settings Messages CDigests Digests MQTTBus Console) libraries=(-lcrypto) ;;
        access)
            modules=(Clients Settings Messages CDigests Digests MQTTBus Console) libraries=(-lcrypto)
            sources+=(Sources/ConsoleServer/HTTP/RequestAddress.swift Sources/ConsoleServer/Media/ByteRange.swift)
            ;;
        configuration | overrides) modules=(Clients Settings Messages Configuration) sources+=(Tests/Fuzz/shared/ConfigurationChecks.swift) ;;
        *) echo "Tests/Fuzz: there is no target $name" >&2; exit 64 ;;
    esac
    local objects=("${modules[@]/%/.o}")
    objects=("${objects[@]/#/$build/modules/}")
    fresh "$build/$name" "${sources[@]}" "${objects[@]}" && return
    # The linker warns for each of AddressSanitizer's local symbols that it isn't exported: these warnings are
    # left out. Without a path, the compiler would write the module to the present folder.
    swiftc "${flags[@]}" -module-name "fuzz_$name" -emit-module -emit-module-path "$build/modules/fuzz_$name.swiftmodule" \
        -emit-executable "${sources[@]}" "${objects[@]}" "${libraries[@]}" -o "$build/$name" 2> >(grep -v "Cannot export local symbol" >&2)
}

for name in CDigests CLinux CJPEG CPacking CResampling CV4L2; do c_module $name; done
for name in Clients Settings Digests LoopThread Messages StateStore Configuration Picture Imaging PlainText Terminal Cameras; do
    module $name
done
# As SwiftPM embeds the file.
printf 'struct PackageResources { static let entities_json: [UInt8] = Array(#"""\n%s\n"""#.utf8) }\n' \
    "$(cat Sources/HomeAssistant/entities.json)" >$build/modules/entities.swift
module HomeAssistant Sources/HomeAssistant/{ControlEntities,DiscoveredDevice,DiscoveryDocument,Entity,HomeAssistantIdentity,Select,Stops,DiscoveredDevice+entities,JSON+literals}.swift $build/modules/entities.swift
module V4L2 Sources/V4L2/V4L2Format.swift Sources/V4L2/V4L2Format+picture.swift Sources/V4L2/CText.swift
module CameraCore Sources/CameraCore/{SavedCamera,SavedDevice,SavedPrivacy,ReservedNumbers}.swift
# The values, without the connection.
module MQTTBus Sources/MQTTBus/{BrokerHost,Bus{Event,Filter,Message,Settings},ReconnectPolicy,Spread}.swift
# The state machines of `ctl`, which have no input and output.
mapfile -t machines < <(find Sources/Ctl -name '*.swift' ! -name BusObserver.swift ! -name Controller.swift ! -name '*+run.swift' ! -name GroupController.swift ! -name OneByOne.swift ! -name RolloutFile.swift ! -name LocalCopy.swift \
    ! -name WatchScreen.swift ! -name ZoomLine.swift)
module Ctl "${machines[@]}"
module Console
for name in "${targets[@]}"; do program "$name"; done
