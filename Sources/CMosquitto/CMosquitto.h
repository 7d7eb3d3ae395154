// libmosquitto, the MQTT client library. Imported by Bus alone.
#include <mosquitto.h>
#include <mqtt_protocol.h>
