/** Serves the fixture in a separate process that tests kill. The argument is the data folder. */

import { openDataDirectory } from '#infra/local/host/data-directory.ts';
import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

const { path } = await openDataDirectory(process.argv[2] ?? '');
const engines = await startEngines({ dataDirectory: path });
const { origin, environment } = await startService({ assembly: ASSEMBLY, engines });
process.stdout.write(`${JSON.stringify({ origin, environment })}\n`);
