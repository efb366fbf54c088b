UPDATE {s}.model SET state = {dlints}.dlints_new({dim}, half_life => {half_life});
