import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import type { Tracker, TrackerAccess, TrackerNetwork } from './tracker.ts';

export function openTracker(access: TrackerAccess, network: TrackerNetwork): Tracker {
  switch (access.kind) {
    case 'jira':
      return jira(access, network);
    case 'github':
      return github(access, network);
    case 'gitlab':
      return gitlab(access, network);
    case 'linear':
      return linear(access, network);
  }
}
