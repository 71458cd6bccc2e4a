/** The public paths of style, script, icon and trace viewer. They contain a digest or a version. The build compiles them in. */
declare const BUILT_ASSET_PATHS: Readonly<
  Record<'rundown.css' | 'rundown.js' | 'passkey.js' | 'import.js' | 'icon.svg' | 'trace-viewer', string>
>;

export const assetPath = (name: keyof typeof BUILT_ASSET_PATHS): string => BUILT_ASSET_PATHS[name];
