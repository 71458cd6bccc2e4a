import { GithubIssues } from './github.ts';
import { GitlabStandIn } from './gitlab.ts';
import { JiraStandIn } from './jira.ts';
import { LinearStandIn } from './linear.ts';
import type { TrackerStandIn } from './stand-in.ts';

/** Each `start` starts one fake tracker, which runs until the test ends. */
export const TRACKERS: readonly (readonly [name: string, start: () => Promise<TrackerStandIn>])[] = [
  ['Jira Cloud', () => new JiraStandIn('cloud').start()],
  ['Jira Data Center', () => new JiraStandIn('data center').start()],
  ['GitHub', () => new GithubIssues().start()],
  ['GitLab', () => new GitlabStandIn().start()],
  ['Linear', () => new LinearStandIn().start()],
];
