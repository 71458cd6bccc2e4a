/** An independent address check: the verdict of `request-filtering-agent`, without a connection. */
import { request } from 'node:http';
import { isIP } from 'node:net';
import { RequestFilteringHttpAgent } from 'request-filtering-agent';

/** Whether the agent would connect. It decides after name resolution, before the connection. */
export const agentAllows = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({
      host: 'receiver.example',
      agent: new RequestFilteringHttpAgent(),
      // Asynchronous like the system's resolver, because the agent adds its listeners after the call.
      lookup: (_, { all }, callback) =>
        void setImmediate(() =>
          all ? callback(null, [{ address, family: isIP(address) }]) : callback(null, address, isIP(address)),
        ),
    });
    asked.on('socket', (socket) => {
      socket.on('lookup', (error) => {
        resolve(!error);
        asked.destroy();
      });
    });
    asked.on('error', () => resolve(false));
  });
