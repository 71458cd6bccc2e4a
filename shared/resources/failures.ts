/**
 * Which tests of an instance did not pass clean. Asked for: all of a run, to page through its failures at a cost that
 * passed tests do not change; one instance's. Follows from the instance, whose version it carries.
 */
import type { Entity } from '../table/entity.ts';
import { stored } from '../table/stored.ts';
import { memberKey } from './run.ts';

/** `f` failed, `s` skipped, `y` flaky, whatever its outcome in the end. */
export type Mark = 'f' | 's' | 'y';

export interface InstanceFailures {
  readonly organizationId: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly groupId: string;
  readonly spec: string;
  /** By the short name of the test. */
  readonly marks: Readonly<Record<string, Mark>>;
  readonly version: number;
}

/** Hundreds are read for one page, so names are one letter long, and what the key says is not said again. */
interface Short {
  readonly pk: string;
  readonly sk: string;
  readonly g: string;
  readonly s: string;
  readonly m: Readonly<Record<string, Mark>>;
  readonly version: number;
}

export const failures: Entity<Pick<InstanceFailures, 'organizationId' | 'runId' | 'instanceId'>, InstanceFailures> = {
  type: 'failures of an instance',
  patterns: [
    { question: 'Tests of an instance that did not pass clean', key: 'pk = RUN#org#run, sk = FAILURES#instance' },
    { question: 'Tests of a run that did not pass clean', key: 'pk = RUN#org#run, sk begins with FAILURES#' },
  ],
  // An instance id begins with its run's.
  key: (of) => memberKey(of, 'FAILURES', of.instanceId.slice(of.runId.length)),
  store: ({ groupId, spec, marks, version }) => ({ g: groupId, s: spec, m: marks, version }),
  load: (row) => {
    const { pk, sk, g, s, m, version } = stored<Short>(row);
    const [, organizationId = '', runId = ''] = pk.split('#');
    const [, rest = ''] = sk.split('#');
    return { organizationId, runId, instanceId: runId + rest, groupId: g, spec: s, marks: m, version };
  },
};
