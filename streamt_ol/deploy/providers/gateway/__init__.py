"""Conduktor Gateway: alias topics, and the interceptors that filter and mask what consumers see of them."""
