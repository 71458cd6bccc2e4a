/** §5.2 What a connected issue tracker offers: its projects and their issue types. */
import { type AskedIntegration, findIntegration } from './find-integration.ts';
import { asking, type TrackerServices, trackerOf } from './open-integration.ts';
import type { IssueType, PageOfProjects, Tracker } from './trackers/tracker.ts';

type Asked = Omit<AskedIntegration, 'projectId'>;

const open = async (services: TrackerServices, asked: Asked): Promise<Tracker> =>
  trackerOf(services, await findIntegration(services, asked));

export const listTrackerProjects = async (
  services: TrackerServices,
  { query, ...asked }: Asked & { readonly query: Parameters<Tracker['projects']>[0] },
): Promise<PageOfProjects> => asking((await open(services, asked)).projects(query));

export const listIssueTypes = async (
  services: TrackerServices,
  { trackerProjectId, ...asked }: Asked & { readonly trackerProjectId: string },
): Promise<readonly IssueType[]> => asking((await open(services, asked)).issueTypes(trackerProjectId));
