import { connect, type Socket } from 'node:net';
import { ADDRESS_KEY } from '../credentials/knownKeys.js';

/** Where one connects to. */
export type Endpoint = readonly [host: string, port: number];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Host and port that requests go to. An address without `://` counts as https, one that cannot be read as the official one. A
 * gateway must be probed itself: the official host being up says nothing about it.
 *
 * @param address default: `ANTHROPIC_BASE_URL` of this process
 * @example
 * endpoint('http://gw:8080/x'); // ['gw', 8080]
 */
export function endpoint(address: string | undefined = process.env[ADDRESS_KEY]): Endpoint {
  return (address && parse(address)) || OFFICIAL;
}

/**
 * Where to look whether requests can get through: the proxy that the harness would take for them, else the endpoint. As the
 * harness does, the first proxy that is set is taken whatever the scheme of the address, unless `NO_PROXY` names the host.
 *
 * @param settings the variables that the harness gets; default: the environment of this process
 */
export function probeTarget(settings: Variables = process.env): Endpoint {
  const target = endpoint(settings[ADDRESS_KEY] ?? '');
  const proxy = PROXY_KEYS.map((key) => settings[key]).find(Boolean);
  if (!proxy || isExempt(target, settings.no_proxy || settings.NO_PROXY || '')) return target;
  return parse(proxy) ?? target;
}

/** True if a connection can be opened: a name look-up and TCP, no request, no credentials, no cost. Never throws. */
export async function reachable(host: string, port: number, timeoutS = 5): Promise<boolean> {
  return (await whyUnreachable(host, port, timeoutS)) === null;
}

/** Like `reachable`, but gives the reason: null if a connection can be opened, else an error code. */
export function whyUnreachable(host: string, port: number, timeoutS = 5): Promise<string | null> {
  return new Promise((resolve) => {
    let socket: Socket;
    try {
      socket = connect({ host, port });
    } catch (error) {
      resolve(codeOf(error));
      return;
    }
    const settle = (why: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(why);
    };
    // A deadline for look-up and connection together; a socket's own time-out begins anew with each address it tries.
    const timer = setTimeout(() => settle('ETIMEDOUT'), timeoutS * 1000);
    socket.once('connect', () => settle(null));
    socket.on('error', (error) => settle(codeOf(error)));
  });
}

const PROXY_KEYS = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
const OFFICIAL: Endpoint = ['api.anthropic.com', 443];

function parse(address: string): Endpoint | null {
  try {
    const url = new URL(address.includes('://') ? address : `https://${address}`);
    const port = url.port ? Number(url.port) : url.protocol === 'http:' ? 80 : 443;
    // The brackets around an IPv6 address belong to the URL.
    return url.hostname ? [url.hostname.replace(/^\[|\]$/g, ''), port] : null;
  } catch {
    return null;
  }
}

/** `NO_PROXY` is a list of hosts, with or without a port, each standing for its sub-domains too; `*` is every host. */
function isExempt([host, port]: Endpoint, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, '')) ?? [];
      if (ownPort !== undefined && Number(ownPort) !== port) return false;
      return name === '*' || host === name || host.endsWith(`.${name}`);
    });
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
