/** Serves the fixture and closes it again. Whatever then still runs keeps this process alive. */
import { startEngines } from '#infra/local/engines.ts';
import { startService } from '#infra/local/service.ts';
import { ASSEMBLY } from './assembly.ts';

const engines = await startEngines({});
const service = await startService({ assembly: ASSEMBLY, port: 0, engines });
await service.close();
await engines.close();
process.stdout.write('closed\n');
