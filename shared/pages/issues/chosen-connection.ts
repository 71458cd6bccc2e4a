/** Asks the chosen issue tracker for its projects and issue types. */
import { ApiError } from '#shared/engine/errors.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { TrackerServices } from '#shared/issues/open-integration.ts';
import { listIssueTypes, listTrackerProjects } from '#shared/issues/read-tracker.ts';
import type { Integration } from '#shared/model/organizations/integration.ts';
import type { ChosenConnection, Offered } from './new-issue-page.tsx';

interface Asked {
  readonly integration: Integration;
  readonly trackerProjectId: string | undefined;
  readonly search: string | undefined;
}

/** If the tracker refuses a request or does not answer, the page lets people enter the project and type themselves. */
export async function chosenConnection(
  services: TrackerServices,
  { integration, trackerProjectId, search }: Asked,
): Promise<ChosenConnection> {
  const query = { search, page: 0, limit: ISSUE_LIMITS.trackerPage.maximum };
  const hasTypes = integration.kind === 'jira' && trackerProjectId !== undefined;
  const [places, types] = await Promise.all([
    orProblem(listTrackerProjects(services, { ...integration, query }), ({ projects, hasMore }) => ({
      list: projects,
      hasMore,
    })),
    hasTypes
      ? orProblem(listIssueTypes(services, { ...integration, trackerProjectId }), (list) => ({ list, hasMore: false }))
      : undefined,
  ]);
  return { integration, places, ...(types ? { types } : {}) };
}

type Answer<One> = Offered<One> & { readonly hasMore: boolean };

async function orProblem<Given, One>(
  asked: Promise<Given>,
  shown: (given: Given) => Answer<One>,
): Promise<Answer<One>> {
  try {
    return shown(await asked);
  } catch (error) {
    if (error instanceof ApiError) return { list: [], hasMore: false, problem: error.message };
    throw error;
  }
}
