import type { TrackerKind } from '#shared/model/issues/tracker-kind.ts';
import { openGithub } from './github.ts';
import { openGitlab } from './gitlab.ts';
import { openJira } from './jira.ts';
import { openLinear } from './linear.ts';
import type { Tracker, TrackerAccess, TrackerNetwork } from './tracker.ts';

type OpenTracker = (access: TrackerAccess, network: TrackerNetwork) => Tracker;

const TRACKERS: Readonly<Record<TrackerKind, OpenTracker>> = {
  github: openGithub,
  gitlab: openGitlab,
  jira: openJira,
  linear: openLinear,
};

export const openTracker: OpenTracker = (access, network) => TRACKERS[access.kind](access, network);
