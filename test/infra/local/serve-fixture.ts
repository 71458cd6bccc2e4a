/**
 * Serves the small assembly in `assembly.ts` in a separate process, which tests can kill. Arguments: the data folder,
 * and the number of seconds after which a hanging function ends the process.
 */

import { flushCompileCache } from 'node:module';
import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { endWhenBlocked } from '#infra/local/host/end-when-blocked.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

const { path } = await openDataDirectory(process.argv[2] ?? '');
const engines = await startEngines({ dataDirectory: path });
const { origin, environment } = await startService({ assembly: ASSEMBLY, engines });
// Writes the compile cache now, because a killed process cannot do so later.
flushCompileCache();
if (process.argv[3]) endWhenBlocked(Number(process.argv[3]));
process.stdout.write(`${JSON.stringify({ origin, environment })}\n`);
