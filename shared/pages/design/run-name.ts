/** What pages call a run. */

interface NamedBuild {
  /** The first line of the commit message. */
  readonly title: string | null;
  readonly ciBuildId: string;
  readonly branch?: string | null;
}

interface NamedRun {
  readonly meta: NamedBuild & { readonly commit: { readonly branch: string | null } };
}

/** The build ids that the client and imports make up if no CI names the build. Nobody recognizes a run by them. */
const LOCAL_BUILD = /^local-[0-9a-f]{8}-[0-9a-f-]{27}$/;
const REPORT_BUILD = /^import-[0-9a-f]{16}$/;

/** What pages call a build with a made-up id. */
const labelMadeUpBuild = (ciBuildId: string): string | undefined => {
  if (LOCAL_BUILD.test(ciBuildId)) return 'Local run';
  return REPORT_BUILD.test(ciBuildId) ? 'Imported report' : undefined;
};

export const isMadeUpBuildId = (ciBuildId: string): boolean => labelMadeUpBuild(ciBuildId) !== undefined;

export const getRunName = ({ meta: { title, ciBuildId, commit } }: NamedRun): string =>
  formatRunName({ title, ciBuildId, branch: commit.branch });

/** The commit message, or what is known of the build. */
export function formatRunName({ title, ciBuildId, branch }: NamedBuild): string {
  if (title !== null) return title;
  const label = labelMadeUpBuild(ciBuildId);
  if (label === undefined) return ciBuildId;
  return branch ? `${label} of ${branch}` : label;
}

const TRY = / ?\((attempt \d{1,9})\)$/;

/** What CI appends to the id of a build that is tried again, such as `attempt 2`. */
export const findTry = (ciBuildId: string): string | undefined => TRY.exec(ciBuildId)?.[1];

const MOST_CHARACTERS = 18;

/** A long build id without its try and its middle: the beginning names the pipeline, the end the build. */
export function shortenBuildId(ciBuildId: string): string {
  const build = ciBuildId.replace(TRY, '');
  if (build.length <= MOST_CHARACTERS) return build;
  return `${build.slice(0, MOST_CHARACTERS / 2 - 1)}…${build.slice(-MOST_CHARACTERS / 2)}`;
}
