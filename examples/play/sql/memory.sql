-- the memory in use
SELECT i.memory, i.memories, i.windows[i.memory] AS window, i.updates,
       i.effective_sample_size, i.mean_reward, i.sigma, i.bytes
FROM   model o, dlints_info(o.state) i
WHERE  o.name = %(model)s
