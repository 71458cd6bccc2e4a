/** A service of its own process, to be killed: serves the fixture on the data in the folder given as argument. */
import { openDataDirectory } from '#infra/local/data-directory.ts';
import { startEngines } from '#infra/local/engines.ts';
import { startService } from '#infra/local/service.ts';
import { ASSEMBLY } from './assembly.ts';

const { path } = await openDataDirectory(process.argv[2] ?? '');
const engines = await startEngines({ dataDirectory: path });
const { origin, environment } = await startService({ assembly: ASSEMBLY, port: 0, engines });
process.stdout.write(`${JSON.stringify({ origin, environment })}\n`);
