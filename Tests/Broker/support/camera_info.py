"""What a camera without a device says about itself, for agents that are only retained messages."""


def camera_info(**more) -> dict:
    return {
        "model": "Camera", "bus": "usb", "serial": "", "nodes": [], "formats": [], "qualities": [], "controls": [],
        "zoom": {
            "min": 1, "max": 8, "handover": [], "actuators": [], "upscale_from": 2, "gesture_timeout_ms": 500,
            "live_rate": 30},
        "recording": {"codec": "h264", "audio": False, "max_duration_s": 60},
        "shutter": {"primary": "photo", "secondary": "record"}, **more}
