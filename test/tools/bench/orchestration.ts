/** Measures a session that 64 machines join. One of them starts it, and the others share its 200 spec files. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { Meter } from '#shared/engine/table/meter.ts';
import { StartSessionBody } from '#shared/orchestration/session-wire.ts';
import { startSession } from '#shared/orchestration/start-session.ts';
import { takeTask } from '#shared/orchestration/take-task.ts';
import type { Services } from '#shared/services.ts';
import type { Measurement } from './budgets.ts';
import type { Owner } from './streaming.ts';
import { runBody, suiteOf } from './suite.ts';

const SPECS = 200;
const MACHINES = 64;

type Recording = Owner & { readonly services: Services };

export async function measureOrchestration({ services, ...owner }: Recording): Promise<Measurement[]> {
  const { organizationId } = owner;
  const { fullTestSuite, ...sent } = runBody(
    { ...owner, ciBuildId: 'shared' },
    suiteOf({ specs: SPECS, testsPerSpec: 25 }),
  );
  const start = async (machineId: string, meter: Meter) => {
    const table = services.table.metered();
    const body = StartSessionBody.parse({ ...sent, suite: fullTestSuite, machineId, globalWorkers: 1 });
    const framework = { type: 'pw', version: null, clientVersion: null };
    const session = await startSession(
      { ...services, table },
      { organizationId, body, framework, requestKey: machineId },
    );
    meter.add(table.meter);
    return session;
  };
  const first = new Meter();
  const others = new Meter();
  const { id } = await start('machine-0', first);
  const machines = Array.from({ length: MACHINES - 1 }, (_, index) => `machine-${index + 1}`);
  await mapConcurrently(machines, (machineId) => start(machineId, others));
  const { tasks, taken } = await takeAll(services, { organizationId, sessionId: id, machines });
  if (taken !== SPECS) throw new Error(`Machines got ${taken} of ${SPECS} spec files`);
  const perStart = machines.length;
  const perTask = taken + machines.length;
  return [
    {
      name: 'sessionUnits',
      measured: first.writeUnits,
      note: `${first.readUnits} RRU, ${first.trips} trips, with the run`,
    },
    {
      name: 'joinUnits',
      measured: others.readUnits / perStart,
      note: `${(others.writeUnits / perStart).toFixed(1)} WRU`,
    },
    { name: 'joinTrips', measured: others.trips / perStart },
    { name: 'taskUnits', measured: tasks.writeUnits / perTask, note: `${(tasks.readUnits / perTask).toFixed(1)} RRU` },
    { name: 'taskTrips', measured: tasks.trips / perTask },
  ];
}

interface Taking {
  readonly organizationId: string;
  readonly sessionId: string;
  readonly machines: readonly string[];
}

/** Lets all machines ask for tasks concurrently until no spec file is left. */
async function takeAll(services: Services, { organizationId, sessionId, machines }: Taking) {
  const tasks = new Meter();
  let taken = 0;
  const takeOne = async (machineId: string, round: number): Promise<boolean> => {
    const table = services.table.metered();
    const request = { organizationId, sessionId, machineId, sentRunId: sessionId, requestKey: `${machineId} ${round}` };
    const { batch } = await takeTask({ ...services, table }, request);
    tasks.add(table.meter);
    taken += batch?.tasks.length ?? 0;
    return batch !== null;
  };
  await Promise.all(
    machines.map(async (machineId) => {
      for (let round = 0; await takeOne(machineId, round); round += 1);
    }),
  );
  return { tasks, taken };
}
