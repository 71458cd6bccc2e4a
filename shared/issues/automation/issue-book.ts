/** The issues of a project during one pass. They are read once, and each change is both stored and remembered. */
import type { Changes, Condition } from '#shared/engine/table/update.ts';
import { PRESENT } from '#shared/engine/table/writes.ts';
import { getProjectIssuesSpan, type KnownIssue, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import type { WithClock } from '#shared/services.ts';
import { planStateChanges } from '../stored-state.ts';
import type { TrackerIssue } from '../trackers/tracker.ts';

export class IssueBook {
  readonly #services: WithClock;
  readonly #issues: Map<string, KnownIssue>;

  private constructor(services: WithClock, all: readonly KnownIssue[]) {
    this.#services = services;
    this.#issues = new Map(all.map((issue) => [issue.issueId, issue]));
  }

  static async open(services: WithClock, project: ProjectKey): Promise<IssueBook> {
    return new IssueBook(services, await services.table.queryAll(knownIssues, getProjectIssuesSpan(project)));
  }

  list(): KnownIssue[] {
    return [...this.#issues.values()];
  }

  find(issueId: string): KnownIssue | undefined {
    return this.#issues.get(issueId);
  }

  listOfTest(signature: string): KnownIssue[] {
    return this.list().filter((issue) => issue.signature === signature);
  }

  /** Returns this link and the links of other tests to the same issue of the tracker. */
  listSame(issue: KnownIssue): KnownIssue[] {
    return this.list().filter((other) => toTrackerKey(other) === toTrackerKey(issue));
  }

  groupByTrackerIssue(): KnownIssue[][] {
    return [...Map.groupBy(this.list(), toTrackerKey).values()];
  }

  add(issue: KnownIssue): void {
    this.#issues.set(issue.issueId, issue);
  }

  /** Returns the changed issue, or `undefined` if the condition failed or somebody unlinked the issue. */
  async change(issue: KnownIssue, changes: Changes, ...when: readonly Condition[]): Promise<KnownIssue | undefined> {
    const condition = { all: [PRESENT, ...when] };
    const result = await this.#services.table.update(knownIssues, issue, changes, condition);
    if (result.item) this.add(result.item);
    else this.#issues.delete(issue.issueId);
    return result.done ? result.item : undefined;
  }

  /** Stores what the tracker says about an issue, in all its links. */
  async store(issue: KnownIssue, trackerIssue: TrackerIssue | undefined): Promise<void> {
    for (const link of this.listSame(issue))
      await this.change(link, planStateChanges(link, trackerIssue, this.#services.now()));
  }
}

const toTrackerKey = ({ integrationId, key }: KnownIssue): string => `${integrationId} ${key}`;
