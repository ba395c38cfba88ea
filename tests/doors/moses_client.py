#!/usr/bin/env python3
"""Moses's XML-RPC by Python's own client, as CAT tools ask Moses and MTUOC's server in its place."""

import xmlrpc.client

from harness import DoorDaemon, check, raises, run


def test_a_fault_says_why(server):
    moses = xmlrpc.client.ServerProxy(f"{server.url}/RPC2")
    fault = raises(xmlrpc.client.Fault, lambda: moses.translate({"text": "Der Hund."}), "XML-RPC", "/translate")
    check(fault.faultCode == 400, f"code: {fault.faultCode}")


def test_keys(_):
    with DoorDaemon(keys={"web": "secret"}) as server:
        moses = xmlrpc.client.ServerProxy(f"{server.url}/RPC2")
        raises(xmlrpc.client.ProtocolError, lambda: moses.translate({"text": "Der Hund."}), "401")


if __name__ == "__main__":
    run(globals())
