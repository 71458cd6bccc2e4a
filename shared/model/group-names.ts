/** The names of groups of a job: the group of the job, and behind it what the report calls the group. */
export const GROUP_SEPARATOR = ' › ';

/** Whether a job of this group may have reported it. A job without a group may have reported each. */
export const isOfGroup = (groupOfJob: string | undefined, name: string): boolean =>
  groupOfJob === undefined || name === groupOfJob || name.startsWith(`${groupOfJob}${GROUP_SEPARATOR}`);
