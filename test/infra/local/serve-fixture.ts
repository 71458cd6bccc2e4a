/** Serves the fixture in a separate process that tests kill. The argument is the data folder. */

import { flushCompileCache } from 'node:module';
import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

const { path } = await openDataDirectory(process.argv[2] ?? '');
const engines = await startEngines({ dataDirectory: path });
const { origin, environment } = await startService({ assembly: ASSEMBLY, engines });
// Compiled programs are kept at once, because a killed process could not keep them later.
flushCompileCache();
process.stdout.write(`${JSON.stringify({ origin, environment })}\n`);
