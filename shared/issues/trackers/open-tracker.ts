import type { TrackerKind } from '#shared/model/organizations/integration.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { jira } from './jira.ts';
import { linear } from './linear.ts';
import type { Tracker, TrackerAccess, TrackerNetwork } from './tracker.ts';

type Open = (access: TrackerAccess, network: TrackerNetwork) => Tracker;

const TRACKERS: Readonly<Record<TrackerKind, Open>> = { github, gitlab, jira, linear };

export const openTracker: Open = (access, network) => TRACKERS[access.kind](access, network);
