// libmosquitto, the MQTT client library. Imported by MQTTBus alone.
#include "../upstream/include/mosquitto.h"
#include "../upstream/include/mqtt_protocol.h"
