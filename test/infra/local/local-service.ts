/** Serves the small assembly in `assembly.ts`, with local stores, for one test file. */

import { afterAll, beforeAll } from 'vitest';
import { type LocalService, type ServiceOptions, startService } from '#infra/local/service.ts';
import { type Engines, startEngines } from '#infra/local/stores/engines.ts';
import { ASSEMBLY } from './assembly.ts';

export interface RunningService {
  readonly service: LocalService;
  readonly engines: Engines;
  readonly requests: string[];
  readonly logs: string[];
  readonly faults: string[];
}

/**
 * Serves the assembly from before the first test of a file until after the last test. Tests call the returned function
 * to get the service.
 */
export function localService(options: Partial<ServiceOptions> = {}): () => RunningService {
  let running: RunningService | undefined;
  beforeAll(async () => {
    const engines = await startEngines({});
    const requests: string[] = [];
    const logs: string[] = [];
    const faults: string[] = [];
    const service = await startService({
      assembly: ASSEMBLY,
      engines,
      onRequest: (line) => requests.push(line),
      onLog: (line) => logs.push(line),
      onFault: (line) => faults.push(line),
      ...options,
    });
    running = { service, engines, requests, logs, faults };
  });
  afterAll(async () => {
    await running?.service.close();
    await running?.engines.close();
  });
  return () => {
    if (!running) throw new Error('The service is not running yet: call this inside a test');
    return running;
  };
}
