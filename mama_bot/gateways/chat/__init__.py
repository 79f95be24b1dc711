"""What the gateways to chat platforms share; nothing here knows one of them."""
