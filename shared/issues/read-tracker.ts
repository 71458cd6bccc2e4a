/** §5.2 What a connected issue tracker offers: its projects and their issue types. */
import { findIntegration, type IntegrationQuery } from './find-integration.ts';
import { openIntegration, type TrackerServices, translateTrackerProblem } from './open-integration.ts';
import type { IssueType, PageOfProjects, Tracker } from './trackers/tracker.ts';

type ConnectionQuery = Omit<IntegrationQuery, 'projectId'>;

const openConnection = async (services: TrackerServices, connection: ConnectionQuery): Promise<Tracker> =>
  openIntegration(services, await findIntegration(services, connection));

export const listTrackerProjects = async (
  services: TrackerServices,
  { query, ...connection }: ConnectionQuery & { readonly query: Parameters<Tracker['projects']>[0] },
): Promise<PageOfProjects> => translateTrackerProblem((await openConnection(services, connection)).projects(query));

export const listIssueTypes = async (
  services: TrackerServices,
  { trackerProjectId, ...connection }: ConnectionQuery & { readonly trackerProjectId: string },
): Promise<readonly IssueType[]> =>
  translateTrackerProblem((await openConnection(services, connection)).issueTypes(trackerProjectId));
