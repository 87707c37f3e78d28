import { connect } from 'node:net';

/** Where requests go: host and port of the configured address. */
export function endpoint(address: string | undefined): { host: string; port: number } {
  const official = { host: 'api.anthropic.com', port: 443 };
  if (!address) return official;
  try {
    const url = new URL(address.includes('://') ? address : `https://${address}`);
    const port = url.port ? Number(url.port) : url.protocol === 'http:' ? 80 : 443;
    return url.hostname ? { host: url.hostname.replace(/^\[|\]$/g, ''), port } : official;
  } catch {
    return official;
  }
}

/** Looks the name up and opens a connection, nothing more: no request, no credentials. Null if it works, else why not. */
export function whyUnreachable(host: string, port: number, timeoutS = 5): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (why: string | null) => {
      socket.destroy();
      resolve(why);
    };
    socket.setTimeout(timeoutS * 1000, () => settle('ETIMEDOUT'));
    socket.once('connect', () => settle(null));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
