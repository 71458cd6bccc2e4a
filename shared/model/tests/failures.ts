/**
 * Tests that failed, were skipped or were flaky. Other tests are not listed, because they would make the list more
 * expensive to read. Access patterns: all listed tests of a run; all listed tests of an instance; the first failed
 * tests of a run.
 */
import { beginningWith, type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed, prefix } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import { instanceIdOf } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { Expiring } from '#shared/model/runs/expiry.ts';
import type { GoesWithRun } from '#shared/model/runs/removal.ts';
import type { CountedTest } from './outcomes.ts';

export const MARKS = ['f', 's', 'y'] as const;
/**
 * The reason why a test is listed: `f` for failed, `s` for skipped, `y` for flaky tests that neither failed nor were
 * skipped.
 */
export type Mark = (typeof MARKS)[number];

export interface Failure extends RunKey, Expiring {
  readonly mark: Mark;
  readonly instanceId: string;
  readonly testKey: string;
  readonly groupId: string;
  readonly spec: string;
}

/**
 * A page reads hundreds of these rows, so attribute names are one letter long, and values that the key contains are not
 * repeated.
 */
interface Short {
  readonly pk: string;
  readonly sk: string;
  readonly g: string;
  readonly s: string;
  readonly expiresAt?: number;
}

const partition = ({ organizationId, runId }: RunKey): string => composed('FAILURES', organizationId, runId);

/** The part of the instance id after the id of its run. */
const ownPart = ({ runId, instanceId }: Pick<Failure, 'runId' | 'instanceId'>): string =>
  instanceId.slice(runId.length);

/**
 * Identifies a test within a run. The result is the same for each run that contains the test, and for each instance in
 * which several sources reported it.
 */
export const placeOf = (of: Pick<Failure, 'runId' | 'groupId' | 'spec' | 'testKey'>): string =>
  `${instanceIdOf(of).slice(of.runId.length)}#${of.testKey}`;

/** The position of a row among those with the same mark. It equals the place, unless another source reported first. */
export const positionOf = (of: Pick<Failure, 'runId' | 'instanceId' | 'testKey'>): string =>
  `${ownPart(of)}#${of.testKey}`;

/** The id of the instance of the same spec file and group in another run. */
export const instanceIn = ({ runId }: RunKey, { groupId, spec }: Pick<Failure, 'groupId' | 'spec'>): string =>
  instanceIdOf({ runId, groupId, spec });

export const failures: Entity<Omit<Failure, 'groupId' | 'spec' | 'expiresAt'>, Failure> & GoesWithRun = {
  type: 'failure',
  guarded: false,
  removal: {
    ends: 'results',
    ofRun: (run) => [failuresOfRun(run)],
    ofInstance: (instance) => MARKS.map((mark) => markedOfInstance(instance, mark)),
  },
  patterns: [
    { question: 'Failed, skipped and flaky tests of a run', key: 'pk = FAILURES#org#run, sk = mark#instance#test' },
    {
      question: 'Failed, skipped or flaky tests of an instance',
      key: 'pk = FAILURES#org#run, sk begins with mark#instance#',
    },
  ],
  key: (of) => ({ pk: partition(of), sk: composed(of.mark, ownPart(of), of.testKey) }),
  store: ({ groupId, spec, expiresAt }) => ({ g: groupId, s: spec, expiresAt }),
  load: (row) => {
    const { pk, sk, g, s, expiresAt } = stored<Short>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    const [letter, own = '', testKey = ''] = sk.split('#');
    const mark = MARKS.find((one) => one === letter) ?? 'f';
    const key = { organizationId, runId, mark, instanceId: runId + own, testKey };
    return { ...key, groupId: g, spec: s, expiresAt };
  },
};

export const failuresOfRun = (of: RunKey) => wholePartition(partition(of));
export const markedOfRun = (of: RunKey, mark: Mark) => beginningWith(partition(of), prefix(mark));
export const markedOfInstance = (of: Pick<Failure, 'organizationId' | 'runId' | 'instanceId'>, mark: Mark) =>
  beginningWith(partition(of), prefix(mark, ownPart(of)));

export function markOf({ outcome, flaky }: CountedTest): Mark | undefined {
  if (outcome === 'failed') return 'f';
  if (outcome === 'skipped') return 's';
  return flaky ? 'y' : undefined;
}
