/** The releases of a project, which its runs name by a tag. */
import type { RunGroupFacts } from '../read-model.ts';

export interface Release {
  readonly version: string;
  /** When the first run of the release started, in epoch milliseconds. */
  readonly at: number;
}

const RELEASE_TAG = 'release:';

/** The releases whose first run is in the period, oldest first. A run tells its release by the tag `release:<version>`. */
export function listReleases(groups: readonly RunGroupFacts[]): Release[] {
  const firstRuns = new Map<string, number>();
  for (const { tags, createdAt } of groups.toSorted((one, other) => one.createdAt - other.createdAt)) {
    for (const tag of tags) {
      const version = tag.startsWith(RELEASE_TAG) ? tag.slice(RELEASE_TAG.length) : '';
      if (version !== '' && !firstRuns.has(version)) firstRuns.set(version, createdAt);
    }
  }
  return [...firstRuns].map(([version, at]) => ({ version, at }));
}
