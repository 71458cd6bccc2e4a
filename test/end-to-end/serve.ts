/**
 * Runs the service in a separate process that tests kill. Arguments: data folder, cloud assembly, port (0 picks a free
 * one), file with shared packages.
 */

import { flushCompileCache } from 'node:module';
import { writeLocalFile } from '#infra/demo/demo-organization.ts';
import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { listen } from '#infra/local/host/http-server.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { makeServices } from '#shared/platform/connect.ts';

const [folder = '', assembly = '', port, packages = ''] = process.argv.slice(2);
const { path: dataDirectory } = await openDataDirectory(folder);
const server = await listen(Number(port));
const engines = await startEngines({ dataDirectory, server });
const { origin, baseUrl, environment } = await startService({ assembly, packages, server, engines });
Object.assign(process.env, environment);
const local = await writeLocalFile({
  services: makeServices(environment),
  dataDirectory,
  origin,
  baseUrl,
  store: 'embedded',
  oauth: { issuer: origin },
});
// Writes the compile cache now, because a killed process cannot do so later.
flushCompileCache();
process.stdout.write(`${JSON.stringify({ environment, ...local })}\n`);
