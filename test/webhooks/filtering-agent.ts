/** An independent check of addresses: the verdict of `request-filtering-agent`, without a connection. */
import { request } from 'node:http';
import { isIP } from 'node:net';
import { RequestFilteringHttpAgent } from 'request-filtering-agent';

/** Whether the agent would connect. It decides after name resolution and before the connection. */
export const agentAllows = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({
      host: 'receiver.example',
      agent: new RequestFilteringHttpAgent(),
      // Asynchronous like the system resolver: listeners are added after the call.
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
