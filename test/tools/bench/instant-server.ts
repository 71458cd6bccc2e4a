/**
 * A program that answers the published Playwright reporter at once and stores nothing. A suite that records to it takes
 * the least time that it can take with this reporter, whatever the service does. It prints its address.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { printLine } from '#infra/cli/terminal/terminal.ts';
import { getPort, LOOPBACK } from '#infra/local/host/loopback.ts';

const makeId = (bytes: number): string => randomBytes(bytes).toString('hex');

function answer({ method, url = '' }: IncomingMessage): object {
  if (url === '/runs/v1') {
    const runUrl = `${origin}/${makeId(8)}`;
    return {
      runId: makeId(8),
      groupId: 'project',
      machineId: makeId(8),
      ciBuildId: 'build',
      runUrl,
      dashboardUrl: runUrl,
      isNewRun: true,
      cancellation: null,
      warnings: [],
    };
  }
  if (url.endsWith('/pw/instances/v1')) return { instanceId: makeId(16), claimedCount: 1 };
  if (url.startsWith('/artifacts/')) return { uploadUrl: `${origin}/upload`, readUrl: `${origin}/upload` };
  if (url === '/test-record' && method === 'POST') return { recordId: makeId(22) };
  return { status: 'OK' };
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request)));
  });
});
server.listen(0, LOOPBACK);
await once(server, 'listening');
const origin = `http://${LOOPBACK}:${getPort(server)}`;
printLine(origin);
