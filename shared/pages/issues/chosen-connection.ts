/** The connection to an issue tracker that a person chose for a new issue, with the tracker’s projects and types. */
import { ApiError } from '#shared/engine/errors.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { TrackerServices } from '#shared/issues/open-integration.ts';
import { listIssueTypes, listTrackerProjects } from '#shared/issues/read-tracker.ts';
import type { IssueType, TrackerProject } from '#shared/issues/trackers/tracker.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';

/** The choices that a tracker offers, or why it did not list them. */
export interface OfferedChoices<One> {
  readonly list: readonly One[];
  readonly problem?: string;
}

export interface ChosenConnection {
  readonly integration: Integration;
  /** The tracker's projects that match the search. `hasMore`: whether the list contains only the first of them. */
  readonly places: OfferedChoices<TrackerProject> & { readonly hasMore: boolean };
  /** The types of issues in the chosen project. `undefined` if no project is chosen, or if the tracker has no types. */
  readonly types: OfferedChoices<IssueType> | undefined;
}

interface ConnectionQuery {
  readonly integration: Integration;
  readonly trackerProjectId: string | undefined;
  readonly search: string | undefined;
}

/** If the tracker refuses a request or does not answer, the page lets people enter the project and type themselves. */
export async function loadChosenConnection(
  services: TrackerServices,
  { integration, trackerProjectId, search }: ConnectionQuery,
): Promise<ChosenConnection> {
  const query = { search, page: 0, limit: ISSUE_LIMITS.trackerPage.maximum };
  const hasTypes = TRACKERS[integration.kind].needsType && trackerProjectId !== undefined;
  const [places, types] = await Promise.all([
    listTrackerProjects(services, { ...integration, query }).then(
      ({ projects: list, hasMore }) => ({ list, hasMore }),
      toProblem,
    ),
    hasTypes
      ? listIssueTypes(services, { ...integration, trackerProjectId }).then((list) => ({ list }), toProblem)
      : undefined,
  ]);
  return { integration, places, types };
}

function toProblem(error: unknown) {
  if (error instanceof ApiError) return { list: [], hasMore: false, problem: error.message };
  throw error;
}
