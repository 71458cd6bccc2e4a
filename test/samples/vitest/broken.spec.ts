throw new Error('cannot load the prices');
