/** Serves the small assembly in `assembly.ts`, and stops. The process exits only if nothing is left running. */

import { startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

const engines = await startEngines({});
const service = await startService({ assembly: ASSEMBLY, engines });
await service.close();
await engines.close();
process.stdout.write('closed\n');
