/** A second opinion on addresses: what `request-filtering-agent` decides, without any connection. */
import { request } from 'node:http';
import { isIP } from 'node:net';
import { RequestFilteringHttpAgent } from 'request-filtering-agent';

/** Whether it would go there: asked at the moment between the look-up of a name and the connection. */
export const agentAllows = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({
      host: 'receiver.example',
      agent: new RequestFilteringHttpAgent(),
      // Answers later, as the system does: whoever asks listens only then.
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
