/** Jobs of a build in several CI systems, and what happens to them in the tries of the build. */

/** What happens to a job: its machine is lost before its command starts, or its runner dies, before it has a report. */
export const STATES = ['is lost', 'dies', 'fails', 'passes'] as const;
export type State = (typeof STATES)[number];

export type Variables = Readonly<Record<string, string>>;

/** What a job knows about itself in a try. */
type Naming = (build: string, leg: number, number: number) => Variables;

export const github: Naming = (build, _, number) => ({
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: 'acme/shop',
  GITHUB_RUN_ID: build,
  GITHUB_RUN_ATTEMPT: String(number),
  GITHUB_JOB: 'test',
  GITHUB_ACTION: '__run',
});

export const NAMINGS: Readonly<Record<string, Naming>> = {
  'a matrix in GitHub Actions': github,
  'a matrix whose jobs have one group': (...of) => ({ ...github(...of), RUNDOWN_GROUP: 'web' }),
  'a matrix with RUNDOWN_LEG': (build, leg, number) => ({
    ...github(build, leg, number),
    RUNDOWN_LEG: `{\n  "node": ${leg}\n}`,
  }),
  'parallel jobs in GitLab CI': (build, leg, number) => ({
    GITLAB_CI: 'true',
    CI_PIPELINE_ID: build,
    CI_JOB_NAME: `test ${leg}/2`,
    CI_JOB_ID: `${build}${leg}${number}`,
  }),
  'parallel steps in Buildkite': (build, leg, number) => ({
    BUILDKITE: 'true',
    BUILDKITE_BUILD_ID: build,
    BUILDKITE_STEP_ID: 'step',
    BUILDKITE_PARALLEL_JOB: String(leg),
    BUILDKITE_RETRY_COUNT: String(number - 1),
  }),
};
/** Those that tell jobs of the same name apart. */
export const TELL_APART = Object.keys(NAMINGS).slice(2);
