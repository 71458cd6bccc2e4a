/** The group that a machine records, and what the machine reports about it. */
import type { Group } from '#shared/model/runs/group.ts';
import { type CreateRunBody, NO_PLATFORM } from './run-wire.ts';

type Facts = Pick<Group, 'platform' | 'coverageEnabled'>;

export interface Machine {
  readonly groupId: string;
  readonly facts: Facts;
}

/** The facts about a group that no machine has started yet. They are unknown, because suites do not contain them. */
export const UNKNOWN_FACTS: Facts = {
  platform: NO_PLATFORM,
  coverageEnabled: false,
};

export const toMachine = ({ group, platform, browser, coverage }: CreateRunBody): Machine => ({
  groupId: group,
  facts: {
    platform: {
      osName: platform.osName || null,
      osVersion: platform.osVersion || null,
      browserName: browser?.name || platform.browserName || null,
      browserVersion: browser?.version || platform.browserVersion || null,
    },
    coverageEnabled: Array.isArray(coverage) && coverage.length > 0,
  },
});
