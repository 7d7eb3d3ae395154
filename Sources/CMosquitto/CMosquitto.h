// libmosquitto, the MQTT client library. Imported by MQTTBus alone.
#include <mosquitto.h>
#include <mqtt_protocol.h>
