/** The version and the commit of this build. The bundler inserts them into the functions that show them. */

interface Release {
  /** The version in `package.json`. */
  readonly version: string;
  /** The commit of a deployment, with `-dirty` at its end if files were changed. Absent for other builds. */
  readonly commit?: string;
}

declare const BUILT_RELEASE: Release;

export const getRelease = (): Release => BUILT_RELEASE;
