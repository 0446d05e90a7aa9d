"""The proxy of the network, as the variables of the shell name it and as curl reads them, which httpx does not."""

import ipaddress
import re
import warnings
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.request import getproxies

import httpx

from .failure import WishwellError

Transport = TypeVar("Transport")

# What listens on this machine is never behind a proxy.
LOOPBACK = "localhost,127.0.0.0/8,::1"

# Arguments of a client by which its caller decides about proxies, and those that a transport takes.
DECIDING = {"transport", "mounts", "proxy", "proxies", "trust_env"}
OF_TRANSPORT = {"verify", "cert", "http1", "http2", "limits"}


def with_transport(make: Callable[..., Transport], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a client, with the transport that the environment asks for. Raises `WishwellError` for what is no proxy."""
    if DECIDING & options.keys():
        return options
    kept = {name: value for name, value in options.items() if name in OF_TRANSPORT}
    proxy = proxy_of(httpx.URL(options["base_url"]))
    try:
        transport = make(**kept, proxy=proxy)
    except ImportError:
        warnings.warn("A SOCKS proxy needs httpx[socks]: calls are direct.", stacklevel=4)
        transport = make(**kept)
    return {**options, "transport": transport}


def proxy_of(url: httpx.URL) -> httpx.Proxy | None:
    """The proxy for a service; None for none. A proxy without a scheme is one of http."""
    named = getproxies()
    given = named.get(url.scheme) or named.get("all")
    port = url.port or (443 if url.scheme == "https" else 80)
    if not given or is_direct(url.host, port, f"{named.get('no', '')},{LOOPBACK}"):
        return None
    proxy = given if "://" in given else f"http://{given}"
    if re.match("socks4a?://", proxy, re.IGNORECASE):
        warnings.warn("SOCKS4 proxies are not supported: calls are direct.", stacklevel=5)
        return None
    try:
        # httpx has the proxy resolve names in each case.
        return httpx.Proxy(re.sub("^socks(5h?)?://", "socks5://", proxy, flags=re.IGNORECASE))
    except (ValueError, httpx.InvalidURL):
        # Its address may hold a password.
        message = f"The proxy of the environment for {url.scheme} is no http, https or SOCKS5 address."
        raise WishwellError(message, "INVALID_PROXY") from None


def is_direct(host: str, port: int, no_proxy: str) -> bool:
    """Whether an entry of NO_PROXY names a host: by name, domain, address or network, with or without a port."""
    return any(names(entry, host.lower().rstrip("."), port) for entry in re.split(r"[\s,]+", no_proxy.lower()) if entry)


def names(entry: str, host: str, port: int) -> bool:
    with_port = re.fullmatch(r"(\[.+\]|[^:]+):(\d+)", entry)
    if with_port and int(with_port[2]) != port:
        return False
    name = re.sub(r"[\[\]]", "", with_port[1] if with_port else entry).rstrip(".")
    try:
        network = ipaddress.ip_network(name, strict=False)
    except ValueError:
        domain = re.sub(r"^\*?\.", "", name)
        return name == "*" or (host == domain and not name.startswith("*")) or host.endswith(f".{domain}")
    try:
        return ipaddress.ip_address(host) in network
    except ValueError:
        return False
