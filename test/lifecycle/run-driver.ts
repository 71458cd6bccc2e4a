/** Sends the commands of the oracle (`oracle.ts`) about one run to the service. */

import { deriveInstanceId, deriveRunId } from '#shared/model/ids.ts';
import { takeEventsOfRun } from '#test/harness/events.ts';
import { idempotencyKey } from '#test/harness/recording.ts';
import { failed, passed, runBody, skipped, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { clock } from '#test/harness/service.ts';
import { type Command, GROUPS, MACHINES, SPECS, TESTS } from './oracle.ts';

const NAMES = SPECS.flatMap((spec) => TESTS.map((test) => `${spec}.spec.ts > ${test}`));
const SUITE = GROUPS.map((group) => suiteGroup(group, NAMES));
const STATES = { passed, failed, skipped };
const MINUTE_MILLISECONDS = 60_000;

export class RunDriver {
  readonly runId: string;
  readonly #stage: TestService & Tenant;
  readonly #ciBuildId: string;
  #messages = 0;

  constructor(stage: TestService & Tenant, ciBuildId: string) {
    const { organizationId, projectId } = stage;
    this.#stage = stage;
    this.#ciBuildId = ciBuildId;
    this.runId = deriveRunId({ organizationId, projectId, ciBuildId });
  }

  /** Sends the command and returns the answer in the oracle's format. */
  async send(command: Command): Promise<string> {
    if (command.do === 'wait') return this.#wait(command.minutes);
    const { status, body } = await this.#request(command);
    return [status, body.code ?? body.claimedCount].filter((part) => part !== undefined).join(' ');
  }

  async #wait(minutes: number): Promise<string> {
    clock.advance(minutes * MINUTE_MILLISECONDS);
    await this.#stage.runSchedule('timeOutRuns');
    return 'waited';
  }

  #request(command: Exclude<Command, { do: 'wait' }>) {
    const { api, projectId, keys } = this.#stage;
    const { runId } = this;
    const ciBuildId = this.#ciBuildId;
    switch (command.do) {
      case 'create': {
        const body = runBody(projectId, SUITE, { ciBuildId, group: command.group, machineId: command.machine });
        return api.post('@/runs/v1', body, idempotencyKey());
      }
      case 'claim': {
        const body = { groupId: command.group, spec: `${command.spec}.spec.ts`, machineId: command.machine };
        return api.post(`@/runs/${runId}/pw/instances/v1`, body, idempotencyKey());
      }
      case 'result':
        return api.post('@/test-record', this.#result(command), idempotencyKey());
      case 'cancel':
        return api.put(`/runs/${runId}/cancel`);
      case 'cancelOwn':
        return api.post('/runs/cancel', { recordKey: keys.readWrite, projectId, ciBuildId });
      case 'delete':
        return api.send('DELETE', `/runs/${runId}`);
      case 'reset':
        return api.put(`/runs/${runId}/reset`, { machineId: [command.machine] });
    }
  }

  #result({ group, spec, test, outcome }: Extract<Command, { do: 'result' }>) {
    const file = `${spec}.spec.ts`;
    this.#messages += 1;
    return {
      _t: this.#messages,
      runId: this.runId,
      groupId: group,
      machineId: MACHINES[0],
      instanceId: deriveInstanceId({ runId: this.runId, groupId: group, spec: file }),
      testId: testIdOf(group, `${file} > ${test}`),
      spec: file,
      title: [test],
      expectedStatus: 'passed',
      ...STATES[outcome](),
    };
  }

  /** The run as the API shows it, in the oracle's format. */
  async seen(): Promise<unknown> {
    const { status, body } = await this.#stage.api.get(`/runs/${this.runId}`);
    if (status === 404) return 'nothing';
    const { completionState, groups } = body.data;
    const counts = groups.map((group: { groupId: string; tests: Counts; instances: { complete: number } }) => [
      group.groupId,
      [group.tests.passes, group.tests.failures, group.tests.skipped, group.instances.complete],
    ]);
    return { state: completionState, status: body.data.status, counts: Object.fromEntries(counts) };
  }

  /** Takes the published events out of the outbox, so a second call returns nothing. */
  async published(): Promise<string[]> {
    const events = await takeEventsOfRun(this.#stage, this.runId);
    return events.map(({ payload, group }) => `${payload.event} ${group}`);
  }
}

type Counts = Readonly<Record<'passes' | 'failures' | 'skipped', number>>;
