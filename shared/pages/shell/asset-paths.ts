/**
 * The public paths of the style sheet, the scripts, the icon and the trace viewer, which the build embeds in the
 * bundle. Each path contains a digest or a version.
 */
declare const BUILT_ASSET_PATHS: Readonly<
  Record<'rundown.css' | 'rundown.js' | 'passkey.js' | 'import.js' | 'icon.svg' | 'trace-viewer', string>
>;

export const assetPath = (name: keyof typeof BUILT_ASSET_PATHS): string => BUILT_ASSET_PATHS[name];
