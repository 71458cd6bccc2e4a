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

export const failures: Entity<Pick<InstanceFailures, 'organizationId' | 'runId' | 'instanceId'>, InstanceFailures> = {
  type: 'failures of an instance',
  patterns: [
    { question: 'Tests of an instance that did not pass clean', key: 'pk = RUN#org#run, sk = FAILURES#instance' },
    { question: 'Tests of a run that did not pass clean', key: 'pk = RUN#org#run, sk begins with FAILURES#' },
  ],
  key: (of) => memberKey(of, 'FAILURES', of.instanceId),
  store: (of) => ({ ...of }),
  load: (row) => stored<InstanceFailures>(row),
};
