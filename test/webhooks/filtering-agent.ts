/**
 * An independent address check: determines whether the package `request-filtering-agent` allows an address, without
 * connecting to it.
 */
import { request } from 'node:http';
import { isIP } from 'node:net';
import { RequestFilteringHttpAgent } from 'request-filtering-agent';

/**
 * Whether the agent would connect to the address. The agent decides after it has resolved the name, and before it
 * connects.
 */
export const agentAllows = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({
      host: 'receiver.example',
      agent: new RequestFilteringHttpAgent(),
      // Resolves asynchronously, as the system resolver does. Otherwise, the `lookup` event would come before its
      // listener below is added.
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
