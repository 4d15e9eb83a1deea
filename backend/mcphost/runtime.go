package mcphost
