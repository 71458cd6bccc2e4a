/** Serves the fixture in a separate process that tests kill. The arguments are the data folder, and after how many seconds a hanging function ends it. */

import { flushCompileCache } from 'node:module';
import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { endWhenBlocked } from '#infra/local/host/end-when-blocked.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

const { path } = await openDataDirectory(process.argv[2] ?? '');
const engines = await startEngines({ dataDirectory: path });
const { origin, environment } = await startService({ assembly: ASSEMBLY, engines });
// Compiled programs are kept at once, because a killed process could not keep them later.
flushCompileCache();
if (process.argv[3]) endWhenBlocked(Number(process.argv[3]));
process.stdout.write(`${JSON.stringify({ origin, environment })}\n`);
