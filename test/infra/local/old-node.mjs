// Preload this module to make Node look like an older version.
Object.defineProperty(process, 'version', { value: 'v20.11.0' });
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } });
