"""The parts of `deploy/broker`: a mosquitto with TLS, accounts and an access control list for cameras."""
